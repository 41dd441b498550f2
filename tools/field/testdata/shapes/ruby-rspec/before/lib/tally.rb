# Tally counts words.
module Tally
  def self.count(text)
    text.split.tally
  end
end
